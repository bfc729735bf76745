/** Returns the fields of a status object that callers use; undefined where they are missing. */
export const viewStatus = (value: unknown) => ({
  submissionId: text(value, 'submission_id'),
  status: text(value, 'status'),
  decidedAt: text(value, 'decided_at'),
  applicationReference: text(value, 'application_reference'),
  billingStatus: text(field(value, 'billing'), 'billing_status'),
});
export type StatusView = ReturnType<typeof viewStatus>;

/** Returns the fields of a document response; undefined where they are missing. */
export const viewDocument = (value: unknown) => ({
  documentId: text(value, 'document_id'),
  uploadUrl: text(value, 'upload_url'),
  scanStatus: text(value, 'scan_status'),
});

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function text(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** Parses JSON; undefined for other text. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
