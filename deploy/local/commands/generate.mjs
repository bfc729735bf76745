import { generateContracts, generateDatabaseClients } from '../setup/generated-code.mjs';
import { writeDatabaseDescriptions } from '../verify/database-descriptions.mjs';
import { writeOpenApi } from '../verify/openapi-copy.mjs';

/**
 * Generates the code of the contracts and of the database clients, the committed reference of the public API, and the
 * committed schema of every database.
 */
export async function run(machine) {
  await generateContracts(machine, { always: true });
  await generateDatabaseClients(machine, { always: true });
  await writeOpenApi(machine);
  await writeDatabaseDescriptions(machine);
  return 0;
}
