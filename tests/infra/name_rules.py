"""What Azure takes as a name. https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules"""

import re
from collections.abc import Mapping

_GUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_DASHED = "[a-z0-9](-?[a-z0-9])*"

RULES: Mapping[str, tuple[str, int, int]] = {
    "Microsoft.Authorization/roleAssignments": (_GUID, 36, 36),
    "Microsoft.Insights/actionGroups": (r"[^*#&+:<>?@%{}\\/]*[^ .]", 1, 260),
    "Microsoft.Insights/components": (r"[^*#&+:<>?@%{}\\/]*[^ .]", 1, 260),
    "Microsoft.Insights/scheduledQueryRules": (r"[^*#&+:<>?@%{}\\/]*[^ .]", 1, 260),
    "Microsoft.Insights/workbooks": (_GUID, 36, 36),
    "Microsoft.KeyVault/vaults": ("[a-z](-?[a-z0-9])*", 3, 24),
    "Microsoft.KeyVault/vaults/secrets": ("[A-Za-z0-9-]+", 1, 127),
    "Microsoft.ManagedIdentity/userAssignedIdentities": (r"[A-Za-z0-9][\w-]*", 3, 128),
    "Microsoft.Network/networkSecurityGroups": (r"[A-Za-z0-9]([\w.-]*\w)?", 1, 80),
    "Microsoft.Network/privateDnsZones": (r"([A-Za-z0-9_-]+\.)+[A-Za-z0-9_-]+", 1, 63),
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks": (r"[A-Za-z0-9]([\w.-]*\w)?", 1, 80),
    "Microsoft.Network/privateEndpoints": (r"[A-Za-z0-9]([\w.-]*\w)?", 2, 64),
    "Microsoft.Network/privateEndpoints/privateDnsZoneGroups": (r"[A-Za-z0-9]([\w.-]*\w)?", 1, 80),
    "Microsoft.Network/virtualNetworks": (r"[A-Za-z0-9]([\w.-]*\w)?", 2, 64),
    "Microsoft.OperationalInsights/workspaces": ("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?", 4, 63),
    "Microsoft.Resources/resourceGroups": (r"[\w().-]*[\w()-]", 1, 90),
    "Microsoft.Storage/storageAccounts": ("[a-z0-9]+", 3, 24),
    "Microsoft.Storage/storageAccounts/blobServices": ("default", 7, 7),
    "Microsoft.Storage/storageAccounts/blobServices/containers": (_DASHED, 3, 63),
    "Microsoft.Storage/storageAccounts/managementPolicies": ("default", 7, 7),
    "Microsoft.Storage/storageAccounts/queueServices": ("default", 7, 7),
    "Microsoft.Storage/storageAccounts/queueServices/queues": (_DASHED, 3, 63),
    "Microsoft.Storage/storageAccounts/tableServices": ("default", 7, 7),
    "Microsoft.Storage/storageAccounts/tableServices/tables": ("[A-Za-z][A-Za-z0-9]*", 3, 63),
    "Microsoft.Web/serverfarms": ("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?", 1, 60),
    # 60 are taken; with 32 the host's id, which is cut there, is each app's own
    # (https://learn.microsoft.com/azure/azure-functions/storage-considerations#host-id-considerations).
    "Microsoft.Web/sites": ("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?", 2, 32),
    "Microsoft.Web/sites/basicPublishingCredentialsPolicies": ("ftp|scm", 3, 3),
    "Microsoft.Web/sites/config": ("authsettingsV2", 14, 14),
}
"""Form, shortest and longest, by type. A type without a rule is an error."""

UNIQUE_IN_THE_WORLD = {"Microsoft.KeyVault/vaults", "Microsoft.Storage/storageAccounts", "Microsoft.Web/sites"}


def is_legal(kind: str, name: str) -> bool:
    """Whether a resource of the type may have the name."""
    form, shortest, longest = RULES[kind]
    return shortest <= len(name) <= longest and re.fullmatch(form, name) is not None
