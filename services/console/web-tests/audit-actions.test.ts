import { ACTIONS, actionsFor, didOf } from '../web/src/screens/audit/actions.ts';

describe('actions of the audit log', () => {
  it('are described in words, and those of other releases by name', () => {
    expect(didOf('ReadEnquiry')).toBe('Viewed applicant details');
    expect(didOf('Retention')).toBe('Deleted expired data');
    expect(didOf('Forgotten')).toBe('Forgotten');
  });

  it('each have their own description', () => {
    const labels = ACTIONS.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.length).toBeGreaterThan(40);
  });

  it('that disclose personal data are one filter', () => {
    expect(actionsFor({ views: 'personal' }).toSorted()).toEqual([
      'DownloadDocument',
      'ExportSubmission',
      'FindPerson',
      'GetApplication',
      'GetDecisionFacts',
      'GetEvent',
      'ListDocuments',
      'ReadEnquiry',
    ]);
    expect(actionsFor({ action: ['SetPrice'] })).toEqual(['SetPrice']);
    expect(actionsFor({})).toEqual([]);
  });
});
