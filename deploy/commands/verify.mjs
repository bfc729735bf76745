import { FailedStep } from './setup/run-program.mjs';
import { checks } from './verify/checks.mjs';

const LANES = 2;

/** Runs all checks, or the named ones. Resolves to the exit code. */
export async function run(machine, names) {
  const queue = pick(names);
  const failures = [];
  const lane = async () => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      const { passed, output } = await observe(check, machine);
      if (!passed) failures.push({ check, output });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const { check, output } of failures)
    console.log(`\n── ${check.name}: ${check.promise}\n${output.trimEnd()}`);
  if (failures.length > 0) console.log(`\n${failures.length} checks failed`);
  return failures.length === 0 ? 0 : 1;
}

function pick(names) {
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0)
    throw new FailedStep(
      `unknown check ${unknown.join(', ')}: must be one of ${checks.map((c) => c.name).join(', ')}`,
    );
  return names.length === 0 ? [...checks] : checks.filter((check) => names.includes(check.name));
}

async function observe(check, machine) {
  const start = Date.now();
  const { verdict, output } = await check.run(machine);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.log(`${marks[verdict]} ${check.name.padEnd(20)} ${seconds.padStart(6)} s  ${check.promise}`);
  if (verdict === 'skipped') console.log(`  ${output}`);
  return { passed: verdict !== 'failed', output };
}

const marks = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' };
