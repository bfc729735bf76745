/** Command: verifies the hash chain of the submission service's audit log. See `--help`. */
import { runVerifyAuditCommand } from '@supplier/lib/governance/audit';

runVerifyAuditCommand('submission');
