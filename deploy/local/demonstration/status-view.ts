/** The fields of a status object that the demonstration looks at; undefined where the text has no such field. */
export interface StatusView {
  readonly submissionId: string | undefined;
  readonly status: string | undefined;
  readonly decidedAt: string | undefined;
  readonly applicationReference: string | undefined;
  readonly billingStatus: string | undefined;
}

/** Reads a status object out of parsed JSON, whatever that is. */
export function viewStatus(value: unknown): StatusView {
  return {
    submissionId: text(value, 'submission_id'),
    status: text(value, 'status'),
    decidedAt: text(value, 'decided_at'),
    applicationReference: text(value, 'application_reference'),
    billingStatus: text(field(value, 'billing'), 'billing_status'),
  };
}

/** The fields of what is answered about a document; undefined where the text has no such field. */
export interface DocumentView {
  readonly documentId: string | undefined;
  readonly uploadUrl: string | undefined;
  readonly scanStatus: string | undefined;
}

/** Reads an answer about a document out of parsed JSON, whatever that is. */
export function viewDocument(value: unknown): DocumentView {
  return {
    documentId: text(value, 'document_id'),
    uploadUrl: text(value, 'upload_url'),
    scanStatus: text(value, 'scan_status'),
  };
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function text(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** Parses JSON; undefined for text that is none. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
