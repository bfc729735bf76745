import { generateContracts, generateDatabaseClients } from '../setup/generated-code.mjs';

/** Generates the code of the contracts and of the database clients, whether or not anything changed. */
export async function run(machine) {
  await generateContracts(machine, { always: true });
  await generateDatabaseClients(machine, { always: true });
  return 0;
}
