// The one entry of every package script. Plain JavaScript without dependencies, because it runs before anything
// is installed, on whatever Node (20 or later) the machine has.
import { commands, describeCommands } from './commands.mjs';
import { FailedStep } from './setup/run-program.mjs';
import { setUp } from './setup/set-up.mjs';

const [name, ...args] = process.argv.slice(2);
const command = commands[name ?? ''];

if (!command) {
  const asked = name === '--help' || name === '-h';
  (asked ? console.log : console.error)(describeCommands());
  process.exit(asked ? 0 : 64);
}

if (args.includes('--help') || args.includes('-h')) {
  console.log(command.help);
  process.exit(0);
}

// Before the set-up, which takes a minute.
const lacks = command.lacks?.(args);
if (lacks !== undefined) {
  console.error(lacks);
  process.exit(1);
}

try {
  const machine = await setUp();
  const { run } = await command.load();
  process.exitCode = await run(machine, args);
} catch (error) {
  if (!(error instanceof FailedStep)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
