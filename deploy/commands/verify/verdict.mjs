/** What a check reports: it passes when there is nothing to say. */
export const verdictOf = (findings) => ({
  verdict: findings.length === 0 ? 'passed' : 'failed',
  output: findings.join('\n'),
});

/** Of a program that was run: it passes with exit code 0. */
export const verdictOfRun = ({ code, output, reason }) => verdictOf(code === 0 ? [] : [output || reason]);
