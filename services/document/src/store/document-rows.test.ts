import { testRotatedTables } from '@supplier/lib/testing';
import type { DocumentId } from '@supplier/lib/text/ids';
import { filenameAad, rotatedTables } from './document-rows.ts';

it('filenameAad binds a sealed filename to its document, compatible with filenames that are already stored', () => {
  expect(filenameAad('0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10' as DocumentId)).toEqual({
    table: 'document',
    column: 'filename',
    row: '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10',
  });
});

/** Byte columns that are neither sealed nor a keyed digest. */
const OTHERS = /\.envelope$|^key_in_use\./;

testRotatedTables(new URL('../..', import.meta.url), rotatedTables, OTHERS);
