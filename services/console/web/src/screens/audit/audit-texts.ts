/** Texts of the audit log. */
export const AUDIT = {
  exportOf: (service: string, isSince: boolean, limit: string) =>
    `All sealed entries of the ${service} service${isSince ? ' since the start of your filter' : ''}, in chain order, up to ${limit} per file. Other filters don’t apply.`,
} as const;
