import { runMigrateCommand } from '@supplier/lib/migrations';

runMigrateCommand('submission', new URL('../', import.meta.url));
