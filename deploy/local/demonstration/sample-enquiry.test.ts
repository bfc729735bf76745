import { median } from './demonstrate.ts';
import { sampleEnquiry } from './sample-enquiry.ts';

describe('sampleEnquiry', () => {
  it('is another customer each time', () => {
    const enquiries = Array.from({ length: 50 }, sampleEnquiry);
    for (const name of ['external_reference', 'email', 'telephone', 'company_number', 'business_name'])
      expect(new Set(enquiries.map((enquiry) => enquiry[name])).size).toBe(50);
  });
});

describe('median', () => {
  it('is the middle one, the lower of two, and no number for none', () => {
    expect(median([1, 2, 9])).toBe(2);
    expect(median([1, 2, 3, 9])).toBe(2);
    expect(median([])).toBeNaN();
  });
});
