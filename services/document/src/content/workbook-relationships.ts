import { elementsIn, isPlainXml, partOf } from './workbook-parts.ts';

/** A relationship of a package: its type, and what it leads to. */
export interface Relationship {
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** In the usual and in the strict form. */
const TYPES_OF_MAIN_PART = [
  'http://schemas.openxmlformats.org/officedocument/2006/relationships/officedocument',
  'http://purl.oclc.org/ooxml/officedocument/relationships/officedocument',
];

/** Ends of the types that lead to macros, Excel 4 sheets, dialogs, embedded objects and links to other files. */
const ACTIVE =
  /\/(?:(?:word)?vba(?:project|data)|xl(?:intl)?macrosheet|dialogsheet|attachedtoolbars|attachedtemplate|oleobject|package|control|activexcontrol(?:binary)?|(?:xl)?externallink(?:path)?|subdocument|frame)$/;

/**
 * The relationships that a part of the package declares. Undefined where one leads to something that runs or reaches
 * out, or where another reader could find others.
 */
export function quietRelationshipsIn(text: string): Relationship[] | undefined {
  if (!isPlainXml(text)) return undefined;
  const relationships = elementsIn(text, 'Relationship')?.map((attributes) => ({
    type: (attributes.get('Type') ?? '').trim().toLowerCase(),
    target: attributes.get('Target') ?? '',
    isExternal: attributes.get('TargetMode')?.toLowerCase() === 'external',
  }));
  return relationships?.some(({ type }) => ACTIVE.test(type)) ? undefined : relationships;
}

/** The lower-case name of the one main part that the package's relationships name. */
export function mainPartOf(relationships: readonly Relationship[]): string | undefined {
  const [main, ...others] = relationships.filter(({ type }) => TYPES_OF_MAIN_PART.includes(type));
  return main && others.length === 0 && !main.isExternal ? partOf(main.target) : undefined;
}
