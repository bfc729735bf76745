/** Command: re-encrypts the values of the submission database with the primary keys of the ring. See `--help`. */
import { runRotateKeysCommand } from '@supplier/lib/data/key-rotation';
import { rotatedTables } from './store/rotated-tables.ts';

runRotateKeysCommand('submission', rotatedTables);
