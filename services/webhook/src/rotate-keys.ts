/** Command: reseals the values of the webhook database under the primary keys of the ring; see `--help`. */
import { runRotateKeysCommand } from '@supplier/lib/data/key-rotation';
import { rotatedTables } from './store/sealed-values.ts';

runRotateKeysCommand('webhook', rotatedTables);
