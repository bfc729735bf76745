/** Why a file fails its content check. */
export interface ContentFault {
  readonly rule: FaultRule;
  /** The place in the file, without text from it: printable ASCII, at most 60 characters. */
  readonly part?: string;
}

/** What staff and the suppliers' guide say about a rule. */
interface FaultText {
  readonly problem: string;
  readonly advice: string;
}

const EXPORT_PDF = 'Print the document to PDF.';
const SAVE_XLSX = 'Save the workbook as .xlsx without macros, in Excel or LibreOffice.';
const VALUES_ONLY = 'Paste the cells as values and save the workbook again.';
const SAVE_PICTURE = 'Open the picture and export it as JPEG or PNG.';
const SAVE_CSV = 'Save the table as CSV UTF-8.';

/** Every rule of the content check. Names are stored and never change their meaning. */
export const FAULTS = {
  'type-mismatch': {
    problem: 'The file is not of the declared type.',
    advice: 'Declare the type that the file has, or send a file of the declared type.',
  },

  'pdf-attachment': {
    problem: 'The PDF has a file attached, as ZUGFeRD and Factur-X invoices do.',
    advice: 'Print the document to PDF, and send attached files separately.',
  },
  'pdf-encrypted': {
    problem: 'The PDF needs a password, or uses encryption that cannot be read.',
    advice: 'Remove the password and save the PDF again.',
  },
  'pdf-external-target': {
    problem: 'The PDF opens another file, or has a link other than http, https or mailto.',
    advice: EXPORT_PDF,
  },
  'pdf-form-submission': { problem: 'The PDF sends or loads form data.', advice: EXPORT_PDF },
  'pdf-launch': { problem: 'The PDF starts a program.', advice: EXPORT_PDF },
  'pdf-media': { problem: 'The PDF has video, sound, 3D or other media.', advice: EXPORT_PDF },
  'pdf-other-action': {
    problem: 'The PDF has an action other than following a link.',
    advice: EXPORT_PDF,
  },
  'pdf-script': { problem: 'The PDF has a script.', advice: EXPORT_PDF },
  'pdf-trailing-data': {
    problem: 'The file continues after the end of the PDF, or is also an archive.',
    advice: EXPORT_PDF,
  },
  'pdf-unreadable': {
    problem: 'The PDF is damaged, or readers could read it differently.',
    advice: EXPORT_PDF,
  },
  'pdf-xfa': { problem: 'The PDF has an XFA form.', advice: EXPORT_PDF },

  'workbook-not-xlsx': {
    problem: 'The file is not an .xlsx workbook. Renaming an .xls or .ods file is not enough.',
    advice: SAVE_XLSX,
  },
  'workbook-encrypted': {
    problem: 'The workbook is protected by a password.',
    advice: 'Remove the password and save the workbook again.',
  },
  'workbook-archive': {
    problem: 'The workbook is damaged, incomplete, or mixed with other data.',
    advice: SAVE_XLSX,
  },
  'workbook-entry-name': {
    problem: 'A file name in the workbook points outside it, or is used twice.',
    advice: SAVE_XLSX,
  },
  'workbook-too-large': {
    problem: 'The workbook is over 32 MiB, or unpacks to more than 100 MiB or to a suspicious size.',
    advice: 'Split the workbook, or send the sheets as CSV files.',
  },
  'workbook-unreadable': {
    problem: 'A part of the workbook cannot be read with certainty.',
    advice: SAVE_XLSX,
  },
  'workbook-doctype': {
    problem: 'A part of the workbook has a document type declaration.',
    advice: SAVE_XLSX,
  },
  'workbook-unknown-part': {
    problem: 'The workbook contains a file that workbooks do not need.',
    advice: SAVE_XLSX,
  },
  'workbook-macros': { problem: 'The workbook contains macros or Excel 4 sheets.', advice: SAVE_XLSX },
  'workbook-embedded-object': {
    problem: 'The workbook contains an embedded document, program or ActiveX control.',
    advice: 'Delete the embedded objects and save the workbook again.',
  },
  'workbook-external-link': {
    problem: 'The workbook refers to other workbooks or files.',
    advice: 'Break its links (Data > Edit Links) and save the workbook again.',
  },
  'workbook-connection': {
    problem: 'The workbook loads data from a database, query or web page.',
    advice: 'Delete its queries and connections, and save the workbook again.',
  },
  'workbook-extension': {
    problem: 'The workbook contains an add-in, a task pane or changes to the ribbon.',
    advice: VALUES_ONLY,
  },
  'workbook-linked-picture': {
    problem: 'The workbook shows a picture that is loaded from an address.',
    advice: 'Insert the picture instead of linking it.',
  },
  'workbook-picture': {
    problem: 'A picture of the workbook is not a picture, or can load or run something.',
    advice: 'Delete the picture or insert it again as PNG.',
  },
  'workbook-hyperlink': {
    problem: 'A link does not lead to an http, https or mailto address.',
    advice: 'Remove links to files and programs.',
  },
  'workbook-formula': {
    problem: 'A formula can start a program or load data from elsewhere, such as DDE or `WEBSERVICE`.',
    advice: VALUES_ONLY,
  },

  'csv-encoding': { problem: 'The text is empty, not UTF-8, or contains NUL characters.', advice: SAVE_CSV },
  'csv-other-format': {
    problem: 'The text is another format, such as HTML, a script or PostScript.',
    advice: 'Send the table itself as CSV.',
  },
  'csv-sylk': {
    problem: 'The text is a SYLK file, which spreadsheets open as a workbook.',
    advice: SAVE_CSV,
  },
  'csv-dde': {
    problem: 'A cell contains a formula that starts a program (DDE).',
    advice: 'Remove the formula.',
  },

  'picture-damaged': {
    problem: 'The picture is damaged or incomplete, or other data follows it, such as a video.',
    advice: SAVE_PICTURE,
  },
  'picture-mixed': { problem: 'The picture also contains an archive or a PDF.', advice: SAVE_PICTURE },
  'picture-too-large': {
    problem: 'The picture has more than 268 million pixels or too many parts.',
    advice: 'Export the picture in a smaller size.',
  },
} as const satisfies Readonly<Record<string, FaultText>>;

export type FaultRule = keyof typeof FAULTS;

export function isFaultRule(text: string): text is FaultRule {
  return Object.hasOwn(FAULTS, text);
}

/** Thrown by a check that has found a fault, and caught by the content check. */
export class ContentRefused extends Error {
  override readonly name = 'ContentRefused';
  readonly fault: ContentFault;
  constructor(rule: FaultRule, part?: string) {
    super(rule);
    this.fault = part === undefined ? { rule } : { rule, part };
  }
}

const MAX_PART_LENGTH = 60;
const PART = new RegExp(`^[\\x20-\\x7e]{1,${MAX_PART_LENGTH}}$`);

export function isPart(text: string): boolean {
  return PART.test(text);
}

/** Returns the place as a part: escapes everything except printable ASCII, and shortens it. */
export function cleanPart(place: string): string {
  const escaped = place.replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.length <= MAX_PART_LENGTH ? escaped : `${escaped.slice(0, MAX_PART_LENGTH - 3)}...`;
}

/** The longest answer of the content process. */
export const MAX_ANSWER_LENGTH = 160;

/** Returns the fault as the content process prints it. */
export function answerOf(fault: ContentFault | undefined): string {
  return fault ? `fault ${fault.rule} ${fault.part ?? ''}`.trimEnd() : 'clean';
}

/**
 * Parses the answer of the content process; `invalid` for anything else. The document may have taken over that process,
 * so only known rules and valid parts are accepted.
 */
export function parseAnswer(answer: string): ContentFault | undefined | 'invalid' {
  if (answer === 'clean') return undefined;
  const [, rule = '', part] = /^fault ([a-z-]+)(?: (.+))?$/.exec(answer) ?? [];
  if (!isFaultRule(rule) || (part !== undefined && !isPart(part))) return 'invalid';
  return part === undefined ? { rule } : { rule, part };
}
