/** Command: migrates the document database to the schema of this build. `SSS_DATABASE_URL=… node src/migrate.ts` */
import { runMigrateCommand } from '@supplier/lib/data/migrations';

runMigrateCommand('document', new URL('../', import.meta.url));
