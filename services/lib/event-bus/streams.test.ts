import { STREAMS, streamConfig, subjectOf } from './streams.ts';

describe('streams', () => {
  it('publishes an event on a subject of its service', () => {
    expect(subjectOf('supplier.submission.v1.SubmissionReceived')).toBe(
      'supplier.submission.SubmissionReceived',
    );
    expect(() => subjectOf('SubmissionReceived')).toThrow();
  });

  it('gives each service a stream that takes its subjects alone', () => {
    const subjects = Object.values(STREAMS).map((stream) => streamConfig(stream).subjects);
    expect(new Set(subjects.flat()).size).toBe(Object.keys(STREAMS).length);
    expect(subjects).toContainEqual(['supplier.submission.>']);
    expect(streamConfig('SUBMISSION').storage).toBe('file');
  });
});
