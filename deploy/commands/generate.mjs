import { generateDatabaseClients } from './setup/set-up.mjs';
import { contracts } from './setup/steps.mjs';
import { writeGeneratedFiles } from './verify/generated.mjs';

/** Generates all code and every committed file that is generated. */
export async function run(machine) {
  await contracts.run(machine, { always: true });
  await generateDatabaseClients(machine, { always: true });
  await writeGeneratedFiles(machine);
  return 0;
}
