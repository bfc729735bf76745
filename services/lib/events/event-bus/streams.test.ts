import { STREAMS, streamConfig, subjectOf } from './streams.ts';

describe('streams', () => {
  it("subjectOf returns a subject of the event's service", () => {
    expect(subjectOf('supplier.submission.v1.SubmissionStatusChanged')).toBe(
      'supplier.submission.SubmissionStatusChanged',
    );
    expect(() => subjectOf('SubmissionStatusChanged')).toThrow();
  });

  it('subjectOf appends the facet', () => {
    const type = 'supplier.submission.v1.SubmissionStatusChanged';
    expect(subjectOf(type, 'status')).toBe('supplier.submission.SubmissionStatusChanged.status');
  });

  it('streamConfig gives each service a stream with only its own subjects', () => {
    const subjects = Object.values(STREAMS).map((stream) => streamConfig(stream).subjects);
    expect(new Set(subjects.flat()).size).toBe(Object.keys(STREAMS).length);
    expect(subjects).toContainEqual(['supplier.submission.>']);
    expect(streamConfig('SUBMISSION').storage).toBe('file');
  });

  it('streamConfig applies the settings', () => {
    const day = 86_400_000_000_000;
    expect(streamConfig('DOCUMENT')).toMatchObject({ num_replicas: 1, max_age: 7 * day, max_bytes: -1 });
    expect(streamConfig('DOCUMENT', { replicas: 3, maxAgeDays: 2, maxBytes: 1_000_000 })).toMatchObject({
      num_replicas: 3,
      max_age: 2 * day,
      max_bytes: 1_000_000,
    });
  });
});
