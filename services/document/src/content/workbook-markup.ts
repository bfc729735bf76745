import { ContentRefused } from './content-fault.ts';
import { formulaChecks } from './workbook-formulas.ts';
import { isInside, isLinkTarget } from './workbook-parts.ts';
import type { IndirectFiles } from './workbook-references.ts';
import type { XmlVisitor } from './workbook-xml.ts';

export type Markup = 'xml' | 'vml' | 'svg';

const CELL = /^[A-Z]{1,3}\d{1,7}$/;
/** Names that Excel 4 runs by itself. */
const RUNS_ITSELF = /^(?:_xlnm\.)?auto_(?:open|close|activate|deactivate)/i;
/** Elements of VML that show a picture. */
const VML_PICTURES: ReadonlySet<string> = new Set(['imagedata', 'fill', 'stroke', 'image']);
const ADDRESS = /^(?:(?:[\w.-]+:)?(?:src|href|althref)|xml:base)$/i;
/** Loads something that is not part of the picture. */
const STYLE_LOADS = /@import|url\((?!\s*["']?(?:#|data:(?!image\/svg|text)))/i;
/** Attributes that an animation must not set. */
const NOT_ANIMATED = /^(?:.*:)?(?:href|on\w+)$/is;
const WEB_ADDRESS = /^\s*(?:https?:\/\/[^\\/\s]|$)/i;

/** Returns the checks of an XML part: formulas, links and what else runs or loads something. */
export function markupChecks(markup: Markup, files: IndirectFiles): XmlVisitor {
  const formulas = formulaChecks(files);
  const cells = cellTexts(files);
  const texts = textChecks(markup);
  let cell = '';
  /** Adds the cell to a fault. */
  const inCell = (check: () => void) => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof ContentRefused) || cell === '') throw error;
      throw new ContentRefused(error.fault.rule, `!${cell}`);
    }
  };
  return {
    open(name, attributes) {
      if (name === 'c' && attributes.r !== undefined) cell = CELL.test(attributes.r) ? attributes.r : '';
      if (name === 'sheetData' || name === 'row') cell = '';
      if (markup !== 'xml') checkPictureMarkup(name, attributes, markup);
      else checkElement(name, attributes);
      texts.open(name);
      cells.open(name);
      inCell(() => formulas.open(name, attributes));
    },
    text(text) {
      texts.text(text);
      cells.text(text);
      inCell(() => formulas.text(text));
    },
    close(name) {
      texts.close();
      cells.close(name);
      inCell(formulas.close);
      if (name === 'c') cell = '';
    },
    instruction(name) {
      if (markup === 'svg' && /^xml-stylesheet$/i.test(name)) throw new ContentRefused('workbook-picture');
    },
  };
}

/** Collects the base of links, and the styles of a vector picture. */
function textChecks(markup: Markup) {
  const element = markup === 'svg' ? 'style' : 'HyperlinkBase';
  let found: string | undefined;
  return {
    open(name: string): void {
      if (found !== undefined)
        throw new ContentRefused(markup === 'svg' ? 'workbook-picture' : 'workbook-unreadable');
      if (name === element) found = '';
    },
    text(text: string): void {
      if (found !== undefined) found += text;
    },
    close(): void {
      if (found === undefined) return;
      if (markup === 'svg') checkStyle(found);
      else if (!WEB_ADDRESS.test(found)) throw new ContentRefused('workbook-hyperlink');
      found = undefined;
    },
  };
}

/** What contains the text of a cell: a value, or a string of one or more runs. */
const CELL_TEXTS: ReadonlySet<string> = new Set(['v', 'si', 'is']);
/** The longest text of a cell in Excel. */
const MAX_CELL_LENGTH = 32_767;

function cellTexts(files: IndirectFiles) {
  let found: string | undefined;
  return {
    open(name: string): void {
      if (CELL_TEXTS.has(name)) found = '';
    },
    text(text: string): void {
      if (found !== undefined && found.length <= MAX_CELL_LENGTH) found += text;
    },
    close(name: string): void {
      if (found === undefined || !CELL_TEXTS.has(name)) return;
      files.take(found);
      found = undefined;
    },
  };
}

/** Escapes could hide an address. */
function checkStyle(style: string): void {
  if (style.includes('\\') || STYLE_LOADS.test(style)) throw new ContentRefused('workbook-picture');
}

type Attributes = Readonly<Record<string, string>>;

function checkElement(name: string, attributes: Attributes): void {
  switch (name) {
    case 'cacheSource':
      if (attributes.type === 'external') throw new ContentRefused('workbook-connection');
      break;
    case 'DataMashup':
      throw new ContentRefused('workbook-connection');
    case 'ddeLink':
      throw new ContentRefused('workbook-formula');
    case 'oleLink':
      throw new ContentRefused('workbook-external-link');
    case 'definedName':
      if (RUNS_ITSELF.test(attributes.name ?? '')) throw new ContentRefused('workbook-macros');
      break;
    case 'webImageSrd':
      throw new ContentRefused('workbook-linked-picture');
    case 'webPublishItem':
      throw new ContentRefused('workbook-external-link');
    case 'hyperlink':
      // A place in the workbook; a share or an address would be opened.
      if (/\\|\/\//.test(attributes.location ?? '')) throw new ContentRefused('workbook-hyperlink');
      break;
  }
}

/** Refuses pictures that load something or run a script. */
function checkPictureMarkup(name: string, attributes: Attributes, markup: 'vml' | 'svg'): void {
  if (/^(?:script\w*|foreignObject)$/i.test(name)) throw new ContentRefused('workbook-picture');
  for (const [attribute, value] of Object.entries(attributes)) {
    const isActive =
      /^on\w+$/i.test(attribute) || (attribute === 'attributeName' && NOT_ANIMATED.test(value.trim()));
    if (isActive || STYLE_LOADS.test(value)) throw new ContentRefused('workbook-picture');
    if (markup === 'svg' && attribute === 'style') checkStyle(value);
    if (!ADDRESS.test(attribute)) continue;
    const isShown = markup === 'svg' ? name !== 'a' : VML_PICTURES.has(name);
    if (isShown && !isInside(value) && !/^\s*data:image\/(?!svg)/i.test(value))
      throw new ContentRefused('workbook-linked-picture');
    if (!isShown && !isLinkTarget(value)) throw new ContentRefused('workbook-hyperlink');
  }
}
