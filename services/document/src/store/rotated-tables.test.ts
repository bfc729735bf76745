import { testRotatedTables } from '@supplier/lib/testing';
import { rotatedTables } from './rotated-tables.ts';

/** Columns of bytes that are neither sealed nor a keyed digest. */
const OTHERS = /\.envelope$|^key_in_use\./;

testRotatedTables(new URL('../../', import.meta.url), rotatedTables, OTHERS);
