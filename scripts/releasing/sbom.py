"""What a program is made of, in the words of SPDX 2.3."""

from __future__ import annotations

import datetime
import re


def document(name: str, version: str, revision: str, epoch: int, digest: str, parts: dict[str, dict[str, dict]],
             creator: str) -> dict:
    """PARTS: relation (DYNAMIC_LINK, STATIC_LINK, CONTAINS) -> name of a package -> its description; DIGEST: the program's."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    own = {"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version,
           "sourceInfo": f"commit {revision}", "downloadLocation": "NOASSERTION",
           "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
           "copyrightText": "NOASSERTION", "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    rows = sorted((package, relation, description) for relation, packages in parts.items()
                  for package, description in packages.items())
    others = [(relation, _package(description)) for _, relation, description in rows]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"{name}-{version}",
            "documentNamespace": f"https://tpu-webhook.dev/spdx/{version}/{digest}",
            "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [f"Tool: {creator}"]},
            "packages": [own, *(package for _, package in others)],
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                               "relatedSpdxElement": own["SPDXID"]},
                              *({"spdxElementId": own["SPDXID"], "relationshipType": relation,
                                 "relatedSpdxElement": package["SPDXID"]} for relation, package in others)]}


def _package(of: dict) -> dict:
    built = "Debian's source package" if of["architecture"] == "source" else f"built by Debian from the source package {of['source']}"
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", of["name"]), "name": of["name"],
            "versionInfo": of["version"], "supplier": "Organization: Debian", "sourceInfo": built,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            **({"homepage": of["homepage"]} if of["homepage"] else {}),
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{of['name']}@{of['version']}"
                                                  f"?arch={of['architecture']}&distro=debian-12"}]}
