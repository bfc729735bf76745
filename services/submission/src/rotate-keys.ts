/** Command: puts the values of the submission database under the primary keys of the ring; `--help` says how. */
import { runRotateKeysCommand } from '@supplier/lib/data/key-rotation';
import { rotatedTables } from './store/rotated-tables.ts';

runRotateKeysCommand('submission', rotatedTables);
