/** Command: puts what the document service holds under the primary keys of the ring; `--help` says how. */

import { runRotateKeysCommand, type ValuesOf } from '@supplier/lib/data/key-rotation';
import { readCommandEnvironment } from '@supplier/lib/runtime/config';
import { layoutOf } from './object-store/disk/directory.ts';
import { rotatedDataKeys } from './object-store/disk/rotate-data-keys.ts';
import { storeConfig, storeVariables } from './object-store/store-config.ts';
import { rotatedTables } from './store/document-rows.ts';

/** Besides the database, a disk store holds data keys; buckets have the keys of their own store. */
const values: ValuesOf = ({ pool, ring }) => {
  const store = storeConfig(readCommandEnvironment(storeVariables));
  const tables = rotatedTables({ pool, ring });
  return store.kind === 'disk' ? [...tables, rotatedDataKeys(layoutOf(store.directory), ring)] : tables;
};

runRotateKeysCommand('document', values);
