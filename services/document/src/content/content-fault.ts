/** Why content was refused, by rule. Staff see the rule and its sentence; suppliers see only `scan_failed`. */
export const CONTENT_RULES = {
  'pdf-attachment': 'The PDF has a file attached.',
  'pdf-encrypted': 'The PDF needs a password, or uses encryption that cannot be read.',
  'pdf-external-target':
    'The PDF opens another file, or an address that is not http, https or mailto on a click.',
  'pdf-form-submission': 'The PDF sends or loads form data.',
  'pdf-launch': 'The PDF starts a program.',
  'pdf-media': 'The PDF has video, sound, 3D or other media.',
  'pdf-other-action': 'The PDF has an action other than following a link.',
  'pdf-script': 'The PDF has a script.',
  'pdf-trailing-data': 'The file continues after the end of the PDF, or is also an archive.',
  'pdf-unreadable': 'The PDF is damaged, or readers could read it differently.',
  'pdf-xfa': 'The PDF has an XFA form.',
} as const satisfies Record<string, string>;

export type ContentRuleName = keyof typeof CONTENT_RULES;

export interface ContentFault {
  readonly rule: ContentRuleName;
  /** Where it is, such as `object 12`: at most 60 characters of printable ASCII, and never text of the document. */
  readonly part?: string;
}
