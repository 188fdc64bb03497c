// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IERC1271 {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}

/// @notice The rule of Circle's tokens and of Permit2: an account with code signs by ERC-1271 and in no other way, an
/// EIP-7702 delegation included; an account without code signs by ECDSA.
abstract contract SignatureChecks {
    function _signedBy(address owner, bytes32 digest, bytes memory signature) internal view returns (bool) {
        if (owner.code.length != 0) {
            (bool done, bytes memory answer) =
                owner.staticcall(abi.encodeCall(IERC1271.isValidSignature, (digest, signature)));
            return done && answer.length >= 32
                && bytes32(answer) == bytes32(IERC1271.isValidSignature.selector);
        }
        if (signature.length != 65) return false;
        (bytes32 r, bytes32 s) = (_word(signature, 32), _word(signature, 64));
        uint8 v = uint8(signature[64]);
        // The upper half of the curve would give every signature a twin.
        if (uint256(s) > 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0) return false;
        if (v != 27 && v != 28) return false;
        address signer = ecrecover(digest, v, r, s);
        return signer != address(0) && signer == owner;
    }

    function _word(bytes memory data, uint256 at) private pure returns (bytes32 word) {
        assembly {
            word := mload(add(data, at))
        }
    }

    function _digest(bytes32 separator, bytes32 structHash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", separator, structHash));
    }
}
