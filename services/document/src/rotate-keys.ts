/** Command: reseals the document service's data under the primary keys of the ring; see `--help`. */
import { runRotateKeysCommand } from '@supplier/lib/data/key-rotation';
import { rotatedTables } from './store/document-rows.ts';

runRotateKeysCommand('document', rotatedTables);
