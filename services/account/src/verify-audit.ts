/** Command: holds the audit log of the account service against its chain; `--help` says how. */
import { runVerifyAuditCommand } from '@supplier/lib/governance/audit';

runVerifyAuditCommand('account');
