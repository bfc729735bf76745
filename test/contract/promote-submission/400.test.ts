import { refusesWhatIsUnreadable } from '../../harness/common-refusals.ts';

describe('400 to a promotion', () => {
  refusesWhatIsUnreadable('promote-submission');
});
