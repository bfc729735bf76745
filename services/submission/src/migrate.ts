import { runMigrateCommand } from '@supplier/lib/data/migrations';

runMigrateCommand('submission', new URL('../', import.meta.url));
