import { refusesWhoMayNot } from '../../harness/common-refusals.ts';

describe('403 to a promotion', () => {
  refusesWhoMayNot('promote-submission');
});
