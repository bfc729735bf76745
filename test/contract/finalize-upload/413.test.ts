import { refusesWhatIsTooLarge } from '../../harness/common-refusals.ts';

describe('413 to a finalize', () => {
  refusesWhatIsTooLarge('finalize-upload');
});
