interface Tested {
  readonly testFilePath: string;
  readonly testExecError?: unknown;
  readonly testResults: readonly { readonly status: string; readonly fullName: string }[];
}

export default class Results {
  onTestResult(test: unknown, result: Tested): void;
}
