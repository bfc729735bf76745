/** Migrates the sessions database to the schema of this build. `SSS_SESSIONS_DATABASE_URL=… node src/migrate.ts` */
import { runMigrateCommand } from '@supplier/lib/data/migrations';

runMigrateCommand('console', new URL('../', import.meta.url), 'SSS_SESSIONS_DATABASE_URL');
