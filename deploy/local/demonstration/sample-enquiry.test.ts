import { median } from './demonstrate.ts';
import { sampleEnquiry } from './sample-enquiry.ts';

describe('sampleEnquiry', () => {
  it('returns a different customer each time', () => {
    const enquiries = Array.from({ length: 50 }, sampleEnquiry);
    for (const name of ['external_reference', 'email', 'telephone', 'company_number', 'business_name'])
      expect(new Set(enquiries.map((enquiry) => enquiry[name])).size).toBe(50);
  });
});

describe('median', () => {
  it('returns the middle value, the lower of two, and NaN without values', () => {
    expect(median([1, 2, 9])).toBe(2);
    expect(median([1, 2, 3, 9])).toBe(2);
    expect(median([])).toBeNaN();
  });
});
