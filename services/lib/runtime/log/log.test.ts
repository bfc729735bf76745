import { runInContext } from '../request-context/index.ts';
import { createLogger } from './index.ts';

function linesOf(work: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  work(createLogger('test', 'debug', { write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

describe('logger', () => {
  it('prints allowed fields and drops all others', () => {
    const [line] = linesOf((log) =>
      log.info({ submission_id: 's', email: 'a@b.example', body: { x: 1 } }, 'hello'),
    );
    expect(line).toMatchObject({ level: 'info', service: 'test', submission_id: 's', msg: 'hello' });
    expect(JSON.stringify(line)).not.toContain('a@b.example');
    expect(line).not.toHaveProperty('body');
  });

  it('includes the request id of the current work', () => {
    const [line] = linesOf((log) => runInContext({ requestId: 'r-1', traceParent: '' }, () => log.info('x')));
    expect(line).toMatchObject({ request_id: 'r-1' });
    expect(line).not.toHaveProperty('trace_id');
  });

  it('includes the trace and span of the current work, if there is a trace', () => {
    const traceParent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const [line, other] = linesOf((log) => {
      runInContext({ requestId: 'r-1', traceParent }, () => log.info('x'));
      runInContext({ requestId: '', traceParent }, () => log.info('x'));
    });
    const trace = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) };
    expect(line).toMatchObject({ request_id: 'r-1', ...trace });
    expect(other).toMatchObject(trace);
    expect(other).not.toHaveProperty('request_id');
  });

  it('never prints the message of a foreign error or its cause', () => {
    const cause = Object.assign(new SyntaxError('Unexpected token in "Jane"'), {
      code: '22P02',
      detail: 'Jane',
    });
    const [line] = linesOf((log) => log.error({ err: new Error('Key (name)=(Jane)', { cause }) }, 'failed'));
    expect(JSON.stringify(line)).not.toContain('Jane');
    expect(line).toMatchObject({ err: { type: 'Error', cause: { type: 'SyntaxError', code: '22P02' } } });
  });

  it('prints operating system errors', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    const [line] = linesOf((log) => log.warn({ err: refused }, 'x'));
    expect(line).toMatchObject({
      err: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' },
    });
  });
});
