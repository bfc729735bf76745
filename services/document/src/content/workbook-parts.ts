import { ContentRefused, type FaultRule } from './content-fault.ts';

/** How the bytes of a part are judged. */
export type PartKind = 'xml' | 'vml' | 'picture' | 'settings';

const SHEETS = 'application/vnd.openxmlformats-officedocument.spreadsheetml.';
const DRAWINGS = 'application/vnd.openxmlformats-officedocument.drawingml.';
const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const PACKAGE = 'application/vnd.openxmlformats-package.';
const EXCEL = 'application/vnd.ms-excel.';
const each = (prefix: string, names: string, suffix = '+xml') =>
  names.split(' ').map((name) => `${prefix}${name}${suffix}`.toLowerCase());

/** The content types of parts that spreadsheet programs write into a workbook without active content. */
const KINDS: Readonly<Record<PartKind, readonly string[]>> = {
  xml: [
    'application/xml',
    'text/xml',
    'image/svg+xml',
    'application/inkml+xml',
    `${PACKAGE}relationships+xml`,
    ...each(SHEETS, 'sheet.main template.main worksheet chartsheet styles sharedStrings comments table'),
    ...each(SHEETS, 'pivotTable pivotCacheDefinition pivotCacheRecords calcChain sheetMetadata'),
    ...each(SHEETS, 'userNames revisionHeaders revisionLog'),
    ...each(OFFICE, 'theme themeOverride drawing extended-properties custom-properties customXmlProperties'),
    ...each(DRAWINGS, 'chart chartshapes diagramData diagramLayout diagramStyle diagramColors'),
    ...each(PACKAGE, 'core-properties digital-signature-xmlsignature'),
    ...each('application/vnd.ms-office.', 'chartstyle chartcolorstyle chartex drawingml.diagramDrawing'),
    ...each('application/vnd.ms-office.', 'classificationlabels'),
    ...each(EXCEL, 'threadedcomments person slicer slicerCache timeline timelineCache controlproperties'),
    ...each(EXCEL, 'rdrichvalue rdrichvaluestructure rdrichvaluetypes richvaluerel rdarray richstyles'),
    ...each(EXCEL, 'rdsupportingpropertybag rdsupportingpropertybagstructure rdrichvaluewebimage'),
    ...each(EXCEL, 'featurepropertybag namedsheetviews documenttasks wsSortMap'),
    'application/vnd.wps-officedocument.cellimage+xml',
  ],
  vml: [`${OFFICE}vmldrawing`],
  picture: [
    ...each('image/', 'png jpeg jpg pjpeg jfif gif bmp x-bmp tiff tif webp x-emf emf x-wmf wmf', ''),
    'image/vnd.ms-photo',
  ],
  settings: [
    ...each(SHEETS, 'printerSettings customProperty', ''),
    ...each(PACKAGE, 'digital-signature-origin digital-signature-certificate', ''),
    // What Google's export keeps for its next import.
    'application/binary',
  ],
};

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, types]) => types.map((type) => [type, kind as PartKind] as const)),
);

/** The types of relationships between such parts, without the part of the address before `/relationships/`. */
const RELATIONSHIPS: ReadonlySet<string> = new Set([
  ...each('', 'officeDocument extended-properties custom-properties metadata/core-properties', ''),
  ...each(
    '',
    'metadata/thumbnail worksheet chartsheet styles theme sharedStrings calcChain sheetMetadata',
    '',
  ),
  ...each(
    '',
    'drawing vmlDrawing chart chartEx chartUserShapes chartStyle chartColorStyle themeOverride',
    '',
  ),
  ...each('', 'image hdphoto hyperlink comments threadedComment person table pivotTable', ''),
  ...each('', 'pivotCacheDefinition pivotCacheRecords slicer slicerCache timeline timelineCache', ''),
  ...each('', 'printerSettings customProperty customXml customXmlProps ctrlProp', ''),
  ...each('', 'diagramData diagramLayout diagramQuickStyle diagramColors diagramDrawing', ''),
  ...each('', 'usernames revisionHeaders revisionLog wsSortMap namedSheetView documenttask', ''),
  ...each('', 'rdRichValue rdRichValueStructure rdRichValueTypes richValueRel rdArray richStyles', ''),
  ...each('', 'rdSupportingPropertyBag rdSupportingPropertyBagStructure rdRichValueWebImage', ''),
  ...each('', 'featurePropertyBag classificationlabels workbookmetadata', ''),
  ...each('', 'digital-signature/origin digital-signature/signature digital-signature/certificate', ''),
  'http://www.wps.cn/officedocument/2020/cellimage',
]);

/** What a forbidden part, type or relationship is called. Only explains a refusal: the tables above decide. */
const FORBIDDEN: readonly (readonly [name: RegExp, rule: FaultRule])[] = [
  [/vba|macro|dialogsheet|jsaproject|attachedtoolbars/, 'workbook-macros'],
  [/externallink|attachedtemplate|subdocument|(?:^|\/)frame$/, 'workbook-external-link'],
  [
    /connections|querytable|xmlmap|volatiledependencies|powerpivot|datamashup|(?:^|\/)model\//,
    'workbook-connection',
  ],
  [/webextension|taskpane|customui|usercustomization|extensibility|externalcode/, 'workbook-extension'],
  [/oleobject|embeddings|activex|\/control$|package$|officedocument\.package/, 'workbook-embedded-object'],
  [
    /spreadsheetml\.sheet$|wordprocessing|presentationml|msword|msdownload|vnd\.ms-(?:word|powerpoint|excel$)/,
    'workbook-embedded-object',
  ],
];

/** Folders that only workbooks with active content have, whatever the type of their parts. */
const FORBIDDEN_NAMES =
  /(?:^|\/)(?:vba(?:project|data)|(?:(?:intl)?macrosheets|dialogsheets|embeddings|activex|externallinks|querytables|webextensions|customui)\/)/;

/** Returns how to judge a part with that lower-case name and type. Refuses a part that workbooks do not need. */
export function kindOfPart(name: string, type: string | undefined): PartKind {
  const kind = FORBIDDEN_NAMES.test(name) ? undefined : KIND_OF.get(type ?? '');
  if (kind) return kind;
  throw new ContentRefused(ruleFor(`${name} ${type ?? ''}`));
}

function ruleFor(text: string): FaultRule {
  const words = text.split(' ');
  return FORBIDDEN.find(([name]) => words.some((word) => name.test(word)))?.[1] ?? 'workbook-unknown-part';
}

export interface Relationship {
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** Refuses a relationship that workbooks do not need, and one that leads out of the workbook, except web links. */
export function checkRelationship({ type, target, isExternal }: Relationship): void {
  const kind = type.replace(/^https?:\/\/.*\/relationships\//, '');
  if (!RELATIONSHIPS.has(kind)) throw new ContentRefused(ruleFor(type));
  const isLink = kind === 'hyperlink';
  if (isLink ? !isLinkTarget(target) : isExternal || !isInside(target))
    throw new ContentRefused(outsideRule(kind));
}

function outsideRule(kind: string): FaultRule {
  if (kind === 'hyperlink') return 'workbook-hyperlink';
  return kind === 'image' || kind === 'rdrichvaluewebimage'
    ? 'workbook-linked-picture'
    : 'workbook-external-link';
}

/** Whether an address leads to a part of the package. */
export function isInside(target: string): boolean {
  return !/^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2}|\\)/i.test(target);
}

const LINK_TARGETS: readonly RegExp[] = [
  /^\s*(?:https?:\/\/[^\\/\s]|mailto:|$)/i,
  // Without its scheme, an address is a path where the workbook lies.
  /^\s*www\.(?!.*(?:\.\.|%2e|%5c|\\))[^/\s]/is,
  /^\s*#(?!.*(?:\\\\|\/\/))/s,
  // A cell or a name in a workbook: without the dot of a program's name.
  /^\s*\[[^\\/:\]]+\](?:[^\\/:]*!)?[\p{L}\w$:]+$/u,
];

/** Whether a link leads to a web page, a mailbox, or a place in the workbook or in one beside it. */
export function isLinkTarget(target: string): boolean {
  return LINK_TARGETS.some((pattern) => pattern.test(target));
}

/** Words of which the names of parts consist. Other words could be chosen by the sender, so they are not shown. */
const WORDS =
  /^(?:_rels|docprops|docmetadata|customxml|customui|xl|media|worksheets|chartsheets|macrosheets|dialogsheets|drawings|charts|diagrams|theme|tables|pivottables?|pivotcache|pivotcachedefinition|pivotcacherecords|slicers?|slicercaches?|timelines?|timelinecaches?|printersettings|threadedcomments?|persons?|richdata|embeddings|activex|externallinks?|querytables?|webextensions?|taskpanes|ctrlprops?|model|\[content_types\]|workbook|sheet|sharedstrings|styles|calcchain|connections|metadata|vmldrawing|drawing|chart|image|comments|table|vbaproject|vbadata|oleobject|package|core|app|custom|thumbnail|item|itemprops|data|ink|xmlmaps|colors|style|layout|quickstyle|intlsheet)\d{0,6}$/i;
const EXTENSION = /\.[a-z0-9]{1,5}$/i;

/** Returns the name of a part for staff, with every word that is not usual replaced by `*`. */
export function placeOf(name: string): string {
  const words = name.split('/').map((word) => {
    const extensions = /(?:\.xml)?\.[a-z0-9]{1,5}$/i.exec(word)?.[0] ?? '';
    const stem = word.slice(0, word.length - extensions.length);
    return (stem === '' || WORDS.test(stem) ? stem : '*') + (EXTENSION.test(extensions) ? extensions : '');
  });
  return words.join('/');
}
