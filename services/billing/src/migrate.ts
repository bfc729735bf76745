/** Migrates the billing database to the schema of this build. `SSS_DATABASE_URL=… node src/migrate.ts` */
import { runMigrateCommand } from '@supplier/lib/data/migrations';

runMigrateCommand('billing', new URL('../', import.meta.url));
