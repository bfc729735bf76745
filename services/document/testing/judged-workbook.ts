import { contentCheck } from '../src/content/content-check.ts';
import { contentTypes, relationships, textPart, workbookOf } from './zip-writer.ts';

export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** The prefix of the types of its parts. */
export const SHEETS = XLSX.slice(0, -'sheet'.length);
export const MAIN = 'xl/workbook.xml';
export const MACRO_TYPE = 'application/vnd.ms-excel.sheet.macroEnabled.main+xml';
export const SHEET = 'xl/worksheets/sheet1.xml';

/** Resolves to the rule that refuses a workbook, without its prefix, and the place; `clean` if none does. */
export async function judged(bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<string> {
  const check = contentCheck(XLSX);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  const fault = await check.fault();
  return fault ? `${fault.rule.replace('workbook-', '')} ${fault.part ?? ''}`.trim() : 'clean';
}

/** Resolves to the rule only. */
export async function ruleOf(bytes: Uint8Array): Promise<string | undefined> {
  return (await judged(bytes)).split(' ')[0];
}

export const sheet = (inside: string) => textPart(SHEET, `<worksheet>${inside}</worksheet>`);

export const relationshipsOfSheet = (...declared: Parameters<typeof relationships>) =>
  textPart('xl/worksheets/_rels/sheet1.xml.rels', relationships(...declared));

/** Returns a workbook with a part of that type. */
export const declaredAs = (name: string, type: string, data: Uint8Array) =>
  workbookOf(contentTypes(`<Override PartName="/${name}" ContentType="${type}"/>`), { name, data });
