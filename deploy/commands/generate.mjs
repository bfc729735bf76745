import { generateContracts, generateDatabaseClients } from './setup/generated-code.mjs';
import { writeDatabaseDescriptions } from './verify/database-descriptions.mjs';
import { writePrintedPages } from './verify/printed-pages.mjs';

/**
 * Generates the code of the contracts and of the database clients, the committed reference of the public API and of settings, and the
 * committed schema of every database.
 */
export async function run(machine) {
  await generateContracts(machine, { always: true });
  await generateDatabaseClients(machine, { always: true });
  await writePrintedPages(machine);
  await writeDatabaseDescriptions(machine);
  return 0;
}
