import { testRotatedTables } from '@supplier/lib/testing';
import { rotatedTables } from './rotated-tables.ts';

/** Byte columns that are neither sealed nor keyed digests. */
const OTHERS = /\.envelope$|^key_in_use\.|^submission\.terms$|^journey_link\.code_digest$/;

testRotatedTables(new URL('../../', import.meta.url), rotatedTables, OTHERS);
