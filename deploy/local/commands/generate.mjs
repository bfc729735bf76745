import { generateContracts, generateDatabaseClients } from '../setup/generated-code.mjs';
import { writeOpenApi } from '../verify/openapi-copy.mjs';

/** Generates the code of the contracts and of the database clients, and the committed reference of the public API. */
export async function run(machine) {
  await generateContracts(machine, { always: true });
  await generateDatabaseClients(machine, { always: true });
  await writeOpenApi(machine);
  return 0;
}
