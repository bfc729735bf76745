/** Command: reseals the document service's data under the primary keys of the ring; see `--help`. */

import { runRotateKeysCommand, type ValuesOf } from '@supplier/lib/data/key-rotation';
import { readCommandEnvironment } from '@supplier/lib/runtime/config';
import { layoutOf } from './object-store/disk/directory.ts';
import { rotatedDataKeys } from './object-store/disk/rotate-data-keys.ts';
import { storeConfig, storeVariables } from './object-store/store-config.ts';
import { rotatedTables } from './store/document-rows.ts';

/** A disk store has data keys in addition to the database; buckets use the keys of their store. */
const values: ValuesOf = ({ pool, ring }) => {
  const store = storeConfig(readCommandEnvironment(storeVariables));
  const tables = rotatedTables({ pool, ring });
  return store.kind === 'disk' ? [...tables, rotatedDataKeys(layoutOf(store.directory), ring)] : tables;
};

runRotateKeysCommand('document', values);
