import { refusesWhatIsTooLarge } from '../../harness/common-refusals.ts';

describe('413 to a promotion', () => {
  refusesWhatIsTooLarge('promote-submission');
});
