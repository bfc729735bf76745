import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf, refuse } from './index.ts';

describe('refuse', () => {
  it('carries an RPC code, a public message, and details for programs', () => {
    const error = refuse(RefusalCode.REVISION_CONFLICT, 'The submission has changed.', {
      currentRevision: 3n,
    });
    expect(error.code).toBe(Code.Aborted);
    expect(error.rawMessage).toBe('The submission has changed.');
    expect(refusalOf(error)).toMatchObject({ code: RefusalCode.REVISION_CONFLICT, currentRevision: 3n });
  });

  it('is not found in other errors', () => {
    expect(refusalOf(new ConnectError('x', Code.Internal))).toBeUndefined();
    expect(refusalOf(new Error('x'))).toBeUndefined();
    expect(refusalOf(undefined)).toBeUndefined();
  });
});
