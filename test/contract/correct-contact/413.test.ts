import { refusesWhatIsTooLarge } from '../../harness/common-refusals.ts';

describe('413 to a contact correction', () => {
  refusesWhatIsTooLarge('correct-contact');
});
