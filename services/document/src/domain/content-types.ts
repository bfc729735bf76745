/** What a file may be at all. A setting may allow fewer. Implements docs/contract.md, section 2. */
export const CONTENT_TYPES = [
  'application/pdf',
  'image/jpeg',
  'image/png',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

export type ContentType = (typeof CONTENT_TYPES)[number];

/** The content type that a text spells exactly; undefined when it is none of ours. */
export function contentTypeOf(text: string): ContentType | undefined {
  return CONTENT_TYPES.find((type) => type === text);
}
