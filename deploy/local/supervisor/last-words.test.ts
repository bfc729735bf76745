import { tellingLine } from './last-words.ts';

describe('tellingLine', () => {
  it('finds the error of a crashed runtime, skipping its stack and version', () => {
    const output = [
      'listening',
      "TypeError: cannot read 'x'",
      '    at run (file:///a.ts:1:2)',
      '',
      'Node.js v24.21.0',
    ];
    expect(tellingLine(output.join('\n'))).toBe("TypeError: cannot read 'x'");
  });

  it('formats a structured error as text, and skips lines without an error', () => {
    const output = [
      '{"level":"fatal","msg":"process failed","err":{"message":"port\\n in use"}}',
      '{"level":"info","msg":"stopping"}',
    ];
    expect(tellingLine(output.join('\n'))).toBe('fatal: process failed: port in use');
  });

  it('falls back to the last plain line, and to an empty string', () => {
    expect(tellingLine('account: bad configuration: SSS_HOST is empty\n')).toMatch(/SSS_HOST/);
    expect(tellingLine('{"level":"info","msg":"started"}\n')).toBe('');
  });
});
