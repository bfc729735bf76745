import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from '../setup/workspace.mjs';

/**
 * A jest reporter that adds a line of JSON for each test file to the file named in `TEST_RESULTS`, as soon as it is
 * known: an interrupted run has counted what ran.
 */
export default class Results {
  onTestResult(_test, { testFilePath, testExecError, testResults }) {
    const withStatus = (...statuses) => testResults.filter(({ status }) => statuses.includes(status));
    const failures = withStatus('failed').map(({ fullName }) => fullName);
    const line = {
      file: relative(root, testFilePath),
      passed: withStatus('passed').length,
      // A file that can't run has no results.
      failures: failures.length === 0 && testExecError ? ['(the file cannot run)'] : failures,
      skipped: withStatus('pending', 'todo', 'skipped', 'disabled').length,
    };
    if (process.env.TEST_RESULTS) appendFileSync(process.env.TEST_RESULTS, `${JSON.stringify(line)}\n`);
  }
}
