import type { ContentFault, FaultRule } from '../content-fault.ts';
import type { PdfObjects } from './pdf-objects.ts';
import {
  isArray,
  isDictionary,
  isName,
  isReference,
  isText,
  type PdfDictionary,
  type PdfText,
  type PdfValue,
  Unreadable,
} from './pdf-syntax.ts';

/** What starts an action: a click, or something that also happens without one. */
type Trigger = 'click' | 'event';

/** Keys of actions, in any dictionary. */
const ACTION_KEYS: ReadonlyMap<string, Trigger> = new Map([
  ['A', 'click'],
  // The address that a link had before its page became part of the document.
  ['PA', 'click'],
  ['OpenAction', 'event'],
  // After another action, which may be an event.
  ['Next', 'event'],
  // The next step of a presentation.
  ['NA', 'event'],
] as const);

/** Events of documents, pages, annotations and fields, which have additional actions. */
const EVENTS = 'E X D U Fo Bl PO PC PV PI O C K F V WC WS DS WP DP'.split(' ');

/** Actions that aren't allowed, by type. A URI is when it is followed on a click, and GoTo within the file. */
const ACTIONS: ReadonlyMap<string, FaultRule> = new Map([
  ['JavaScript', 'pdf-script'],
  ['Launch', 'pdf-launch'],
  ['SubmitForm', 'pdf-form-submission'],
  ['ImportData', 'pdf-form-submission'],
  ['GoTo', 'pdf-external-target'],
  ['GoToR', 'pdf-external-target'],
  ['GoToE', 'pdf-external-target'],
  ['Thread', 'pdf-external-target'],
  ['URI', 'pdf-external-target'],
  ['Rendition', 'pdf-media'],
  ['Movie', 'pdf-media'],
  ['Sound', 'pdf-media'],
  ['GoTo3DView', 'pdf-media'],
  ['RichMediaExecute', 'pdf-media'],
] as const);
/** What an action needs, and no other dictionary with a type at `S` has. */
const ACTION_ENTRIES = [
  'JS',
  'F',
  'Win',
  'Mac',
  'Unix',
  'AN',
  'OP',
  'Annotation',
  'Sound',
  'TA',
  'CMD',
  'URI',
];
/** Named actions that move within the document. Readers also print, save or close by name. */
const NAVIGATION = ['NextPage', 'PrevPage', 'FirstPage', 'LastPage', 'GoBack', 'GoForward'];
const ADDRESS = /^\s*(?:https?:|mailto:)/i;
/** Readers differ in which addresses they take for relative ones. */
const BASE = /^\s*(?:https?:|$)/i;
/** What the person who signs gets from an address. */
const SEEDS = ['Cert', 'TimeStamp'];

/** Trees below the catalog's names. */
const TREES: ReadonlyMap<string, FaultRule> = new Map([
  ['JavaScript', 'pdf-script'],
  ['EmbeddedFiles', 'pdf-attachment'],
  ['Renditions', 'pdf-media'],
  ['AlternatePresentations', 'pdf-media'],
] as const);

const ANNOTATIONS: ReadonlyMap<string, FaultRule> = new Map([
  ['FileAttachment', 'pdf-attachment'],
  ['Movie', 'pdf-media'],
  ['Sound', 'pdf-media'],
  ['Screen', 'pdf-media'],
  ['RichMedia', 'pdf-media'],
  ['3D', 'pdf-media'],
] as const);

/** Entries of a file specification, and of its embedded files. */
const FILE_ENTRIES = ['F', 'UF', 'EF'];
const EMBEDDED_ENTRIES = ['F', 'UF', 'DOS', 'Mac', 'Unix'];

const UTF_16 = new TextDecoder('utf-16be');
const MAX_LISTS = 16;

interface Found {
  readonly rule: FaultRule;
  readonly key: string;
}

/**
 * Returns what a PDF does besides showing pages. A name counts only where readers act on it, such as the type of an
 * action at the key of an action. Every object counts, even if nothing refers to it. Throws Unreadable.
 */
export function actionFault(pdf: PdfObjects): ContentFault | undefined {
  const { resolve, valuesOf } = pdf;
  /** Rules of the objects at places of each use, such as actions. */
  const known = new Map<string, Map<number, FaultRule | undefined>>();
  let hasCatalog = false;

  for (const { value, isStream, part } of pdf.all()) {
    const found = faultIn(value) ?? (isStream ? externalStream(value) : undefined);
    if (found) return { rule: found.rule, part: `${found.key} in ${part}` };
  }
  return hasCatalog ? undefined : { rule: 'pdf-unreadable', part: 'catalog' };

  function faultIn(value: PdfValue): Found | undefined {
    if (!isDictionary(value)) return firstOf(itemsOf(value), faultIn);
    hasCatalog ||= value.entries.has('Root') || typesAt(value, 'Type').includes('Catalog');
    return firstOf(value.entries, ([key, values]) => {
      const rule = ruleAt(value, key, values);
      return rule ? { rule, key } : firstOf(values, faultIn);
    });
  }

  function ruleAt(
    dictionary: PdfDictionary,
    key: string,
    values: readonly PdfValue[],
  ): FaultRule | undefined {
    const trigger = ACTION_KEYS.get(key);
    if (trigger) return firstOf(values, (value) => actionRule(value, trigger));
    const each = (ruleOf: (item: PdfDictionary) => FaultRule | undefined) =>
      firstOf(values, (value) => ruleAtUse(key, value, ruleOf));
    switch (key) {
      case 'AA':
        return firstOf(dictionariesAt(dictionary, key), ({ entries }) =>
          firstOf(EVENTS, (event) =>
            firstOf(entries.get(event) ?? [], (value) => actionRule(value, 'event')),
          ),
        );
      case 'S':
        return orphanRule(dictionary);
      case 'Names':
        return firstOf(dictionariesAt(dictionary, key), (names) =>
          firstOf(TREES, ([tree, rule]) => (isEmptyTree(names.entries.get(tree)) ? undefined : rule)),
        );
      case 'AcroForm':
        return dictionariesAt(dictionary, key).some((form) => valuesOf(form, 'XFA').some(isFilled))
          ? 'pdf-xfa'
          : undefined;
      case 'EF':
        return dictionariesAt(dictionary, key).some(isOfFiles) ? 'pdf-attachment' : undefined;
      case 'AF':
        return valuesOf(dictionary, key).some((value) =>
          [value, ...itemsOf(value).flatMap((item) => resolve(item))].some(isFile),
        )
          ? 'pdf-attachment'
          : undefined;
      case 'Ref':
        return each((source) => (hasFile(source) ? 'pdf-external-target' : undefined));
      case 'Rect':
        return annotationRule(dictionary);
      case 'Annots':
        return each(annotationRule);
      case 'Type':
        if (typesAt(dictionary, key).includes('EmbeddedFile')) return 'pdf-attachment';
        return typesAt(dictionary, key).includes('Annot') ? annotationRule(dictionary) : undefined;
      case 'SV':
        return each((seed) => firstOf(SEEDS, (of) => firstOf(dictionariesAt(seed, of), addressRule('URL'))));
      case 'URI':
        return each(addressRule('Base', BASE));
      case 'RH':
        return each(({ entries }) => (entries.has('Script') ? 'pdf-script' : undefined));
      case 'Collection':
        return each(({ entries }) => (entries.has('Navigator') ? 'pdf-media' : undefined));
      default:
        return undefined;
    }
  }

  /** Returns the rule that an action at a key of actions breaks. */
  function actionRule(value: PdfValue, trigger: Trigger): FaultRule | undefined {
    return ruleAtUse(trigger, value, (action) =>
      firstOf(typesAt(action, 'S'), (type) =>
        isAllowed(type, action, trigger) ? undefined : (ACTIONS.get(type) ?? 'pdf-other-action'),
      ),
    );
  }

  /** Returns the rule that a dictionary, or one of a list, breaks. Reads each object once for each use. */
  function ruleAtUse(
    use: string,
    value: PdfValue,
    ruleOf: (dictionary: PdfDictionary) => FaultRule | undefined,
    depth = 0,
  ): FaultRule | undefined {
    if (depth > MAX_LISTS) throw new Unreadable('lists within lists');
    if (isReference(value)) {
      const rules = known.get(use) ?? new Map<number, FaultRule | undefined>();
      known.set(use, rules);
      if (!rules.has(value.number)) {
        // A list that contains itself ends here.
        rules.set(value.number, undefined);
        const rule = firstOf(resolve(value), (found) => ruleAtUse(use, found, ruleOf, depth + 1));
        if (rule) rules.set(value.number, rule);
      }
      return rules.get(value.number);
    }
    if (isDictionary(value)) return ruleOf(value);
    return firstOf(itemsOf(value), (item) => ruleAtUse(use, item, ruleOf, depth + 1));
  }

  function annotationRule(annotation: PdfDictionary): FaultRule | undefined {
    return firstOf(typesAt(annotation, 'Subtype'), (type) => ANNOTATIONS.get(type));
  }

  /** Makes the rule for an address that readers open when somebody clicks or signs. */
  function addressRule(key: string, address = ADDRESS) {
    return (dictionary: PdfDictionary): FaultRule | undefined =>
      !dictionary.entries.has(key) || textsAt(dictionary, key).every((text) => address.test(text))
        ? undefined
        : 'pdf-external-target';
  }

  function isAllowed(type: string, action: PdfDictionary, trigger: Trigger): boolean {
    switch (type) {
      case 'GoTo':
        return !action.entries.has('F');
      case 'Named':
        return typesAt(action, 'N').every((name) => NAVIGATION.includes(name));
      case 'URI':
        return trigger === 'click' && textsAt(action, type).every((text) => ADDRESS.test(text));
      default:
        return false;
    }
  }

  /** Returns the rule of an action wherever it is: readers differ in what the number of an object leads to. */
  function orphanRule(dictionary: PdfDictionary): FaultRule | undefined {
    if (!ACTION_ENTRIES.some((entry) => dictionary.entries.has(entry))) return undefined;
    return firstOf(typesAt(dictionary, 'S'), (type) =>
      isAllowed(type, dictionary, 'click') ? undefined : ACTIONS.get(type),
    );
  }

  /** Whether no tree of names has an entry. Readers run all scripts of a tree when they open the document. */
  function isEmptyTree(roots: readonly PdfValue[] = []): boolean {
    const seen = new Set<number>();
    const left = [...roots];
    for (let value = left.pop(); value !== undefined; value = left.pop()) {
      if (value === null) continue;
      if (isReference(value)) {
        if (seen.has(value.number)) continue;
        seen.add(value.number);
        for (const found of resolve(value)) left.push(found);
      } else if (isDictionary(value)) {
        if (dictionaryItems(value, 'Names').length > 0) return false;
        for (const kid of dictionaryItems(value, 'Kids')) left.push(kid);
      } else if (!isArray(value) || value.items.length > 0) return false;
    }
    return true;
  }

  function externalStream(value: PdfValue): Found | undefined {
    return isDictionary(value) && hasFile(value) ? { rule: 'pdf-external-target', key: 'F' } : undefined;
  }

  /** Whether F is a file. Some writers abbreviate the name of the filter to F, as in inline images. */
  function hasFile(dictionary: PdfDictionary): boolean {
    return valuesOf(dictionary, 'F').some((file) => isText(file) || isDictionary(file));
  }

  /** Whether these are the embedded files of a file specification. */
  function isOfFiles(dictionary: PdfDictionary): boolean {
    return EMBEDDED_ENTRIES.some((key) => dictionariesAt(dictionary, key).length > 0);
  }

  function isFile(value: PdfValue): boolean {
    return isDictionary(value) && FILE_ENTRIES.some((key) => value.entries.has(key));
  }

  function dictionariesAt(dictionary: PdfDictionary, key: string): PdfDictionary[] {
    return valuesOf(dictionary, key).filter(isDictionary);
  }

  function dictionaryItems(dictionary: PdfDictionary, key: string): PdfValue[] {
    return valuesOf(dictionary, key).flatMap((list) => [...itemsOf(list)]);
  }

  /** Returns names, also of a list; some readers take a string for one. */
  function typesAt(dictionary: PdfDictionary, key: string): string[] {
    return valuesOf(dictionary, key)
      .flatMap((value) => (isArray(value) ? value.items.flatMap((item) => resolve(item)) : [value]))
      .flatMap((value) => (isText(value) ? [textOf(value)] : isName(value) ? [value.name] : []));
  }

  /** Returns strings, and an empty one for each value of another kind. */
  function textsAt(dictionary: PdfDictionary, key: string): string[] {
    const texts = valuesOf(dictionary, key).map((value) => (isText(value) ? textOf(value) : ''));
    return texts.length === 0 ? [''] : texts;
  }

  function textOf(text: PdfText): string {
    const bytes = pdf.bytesOf(text);
    return bytes[0] === 0xfe && bytes[1] === 0xff ? UTF_16.decode(bytes) : bytes.toString('latin1');
  }
}

const isFilled = (value: PdfValue): boolean =>
  value !== null && !(isArray(value) && value.items.length === 0);

const itemsOf = (value: PdfValue): readonly PdfValue[] => (isArray(value) ? value.items : []);

/** Returns the first result that is not undefined. */
function firstOf<Item, Result>(
  items: Iterable<Item>,
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
