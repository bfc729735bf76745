/** Returns the report of a check, which passes without findings. */
export const verdictOf = (findings) => ({
  verdict: findings.length === 0 ? 'passed' : 'failed',
  output: findings.join('\n'),
});

/** Returns the report of a program, which passes with exit code 0. */
export const verdictOfRun = ({ code, output, reason }) => verdictOf(code === 0 ? [] : [output || reason]);
