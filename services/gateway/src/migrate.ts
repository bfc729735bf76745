/** Migrates the limits database to the schema of this build. `SSS_LIMITS_DATABASE_URL=… node src/migrate.ts` */
import { runMigrateCommand } from '@supplier/lib/data/migrations';

runMigrateCommand('gateway', new URL('../', import.meta.url), 'SSS_LIMITS_DATABASE_URL');
