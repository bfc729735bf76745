import { STREAMS, streamConfig, subjectOf } from './streams.ts';

describe('streams', () => {
  it('publishes an event on a subject of its service', () => {
    expect(subjectOf('supplier.submission.v1.SubmissionStatusChanged')).toBe(
      'supplier.submission.SubmissionStatusChanged',
    );
    expect(() => subjectOf('SubmissionStatusChanged')).toThrow();
  });

  it('ends the subject of an event with its facet, where it has one', () => {
    const type = 'supplier.submission.v1.SubmissionStatusChanged';
    expect(subjectOf(type, 'status')).toBe('supplier.submission.SubmissionStatusChanged.status');
  });

  it('gives each service a stream that takes its subjects alone', () => {
    const subjects = Object.values(STREAMS).map((stream) => streamConfig(stream).subjects);
    expect(new Set(subjects.flat()).size).toBe(Object.keys(STREAMS).length);
    expect(subjects).toContainEqual(['supplier.submission.>']);
    expect(streamConfig('SUBMISSION').storage).toBe('file');
  });

  it('keeps streams as the settings say', () => {
    const day = 86_400_000_000_000;
    expect(streamConfig('DOCUMENT')).toMatchObject({ num_replicas: 1, max_age: 7 * day, max_bytes: -1 });
    expect(streamConfig('DOCUMENT', { replicas: 3, maxAgeDays: 2, maxBytes: 1_000_000 })).toMatchObject({
      num_replicas: 3,
      max_age: 2 * day,
      max_bytes: 1_000_000,
    });
  });
});
